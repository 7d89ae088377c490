"""The domain packs. Installed, this folder is ``commonsense_planning.packs``: setup.cfg maps it there."""
