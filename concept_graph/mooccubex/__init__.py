"""Files of MOOCCubeX (THU-KEG/MOOCCubeX): concepts, prerequisites and relations of many courses."""

from concept_graph.mooccubex.reading import read_mooccubex
from concept_graph.mooccubex.writing import write_mooccubex

__all__ = ["read_mooccubex", "write_mooccubex"]
