"""`python -m ginref`."""

from ginref.cli import main

if __name__ == "__main__":
    main()
