"""Search indexes over QA pairs, all behind `vta.ports.PairIndex`."""
