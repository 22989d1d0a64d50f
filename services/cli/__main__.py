"""`python -m services.cli` is `vta`."""

from services.cli.main import main

main()
