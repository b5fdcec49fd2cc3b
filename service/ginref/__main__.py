"""The program `ginref`, or `python -m ginref`."""

import os

# What gRPC says by itself is no line of our log, and anybody who connects can make it
# talk. It looks when it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from ginref.cli import main

if __name__ == "__main__":
    main()
