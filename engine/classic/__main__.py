"""`python -m engine.classic`: a UCI engine for every variant of Lichess."""

import sys

from engine.classic.uci import main

sys.exit(main())
