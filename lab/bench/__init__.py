"""The benchmark of `vta bench`: conversations put to any assistant, and their replies scored."""
