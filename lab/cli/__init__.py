"""The commands of the lab, which `vta` adds to its own where the lab is there."""
