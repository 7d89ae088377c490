"""Every reader of cplan against inputs that were spoilt on purpose."""
