"""The engines that the suites here ask: those of ../interop."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))

from engines import Spark, Tarn  # noqa: E402, F401 - handed on
