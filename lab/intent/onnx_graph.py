"""What must be changed and checked in an ONNX graph around quantisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from onnx import ModelProto


def bypass_identities(model: ModelProto) -> int:
    """Let every node read what an Identity node would have copied; returns how many were removed.

    Shared weights may reach later layers through such nodes, behind which dynamic quantisation sees no
    constant and skips the layer. An Identity that writes an output of the graph stays. Recorded shapes of
    inner values are dropped, since the quantiser turns weights around and then finds them contradicted.
    """
    outputs = {value.name for value in model.graph.output}
    sources: dict[str, str] = {}
    kept = []
    for node in model.graph.node:
        node.input[:] = [sources.get(name, name) for name in node.input]
        if node.op_type == "Identity" and node.output[0] not in outputs:
            sources[node.output[0]] = node.input[0]
        else:
            kept.append(node)
    removed = len(model.graph.node) - len(kept)
    del model.graph.value_info[:]
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return removed


def drop_notes(model: ModelProto) -> None:
    """Take out what the exporter noted of the program it came from, names of its files included."""
    graph = model.graph
    values = (*graph.input, *graph.output, *graph.value_info, *graph.initializer)
    for part in (graph, *graph.node, *values):
        part.doc_string = ""
        del part.metadata_props[:]


def fold_transposes(model: ModelProto) -> int:
    """Turn constants around once instead of in each run; returns how many Transpose nodes were removed.

    Behind a Transpose, too, dynamic quantisation sees no constant. What is no longer read is dropped.
    """
    from onnx import numpy_helper

    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    turned: dict[str, str] = {}
    kept = []
    for node in model.graph.node:
        node.input[:] = [turned.get(name, name) for name in node.input]
        if node.op_type != "Transpose" or node.input[0] not in constants:
            kept.append(node)
            continue
        order = next((list(a.ints) for a in node.attribute if a.name == "perm"), None)
        name = f"{node.input[0]} turned {order}"
        if name not in constants:
            values = numpy_helper.to_array(constants[node.input[0]]).transpose(order)
            constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        turned[node.output[0]] = name
    removed = len(model.graph.node) - len(kept)
    read = {name for node in kept for name in node.input} | {value.name for value in model.graph.output}
    del model.graph.node[:]
    model.graph.node.extend(kept)
    del model.graph.initializer[:]
    model.graph.initializer.extend(tensor for name, tensor in constants.items() if name in read)
    return removed


def list_large_constants(model: ModelProto, limit: int) -> list[str]:
    """The names of fp32 constants of more than `limit` numbers."""
    import onnx

    tensors = [
        *model.graph.initializer,
        *(a.t for node in model.graph.node for a in node.attribute if node.op_type == "Constant"),
    ]
    return [
        tensor.name
        for tensor in tensors
        if tensor.data_type == onnx.TensorProto.FLOAT and int(np.prod(tensor.dims)) > limit
    ]
