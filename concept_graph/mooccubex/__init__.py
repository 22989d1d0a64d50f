"""Files of MOOCCubeX (THU-KEG/MOOCCubeX): concepts, prerequisites and relations of many courses."""

from concept_graph.mooccubex.reading import read_mooccubex
from concept_graph.mooccubex.writing import CourseVideo, write_mooccubex

__all__ = ["CourseVideo", "read_mooccubex", "write_mooccubex"]
