"""Others judge the same: unified-planning, VAL, Fast Downward, and readers of PDDL that others wrote."""
