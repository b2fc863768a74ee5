import sys

from ndt_convert.ending import leave_nothing_behind

from .cli import main

leave_nothing_behind()
sys.exit(main(sys.argv[1:]))
