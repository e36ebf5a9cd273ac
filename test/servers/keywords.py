"""Which bodies a server's libraries allow by a schema or a grammar, in the form in which the server gives it to them.

python keywords.py ASKED.json: ASKED is a list of { kind, text, bodies }. The kinds structural_tag and grammar are for
xgrammar, json is for outlines.
Prints { versions, judged: a list of { verdicts: [whether a body is allowed], error } }.
"""
import importlib.metadata
import importlib.util
import json
import re
import sys

import outlines_core
from xgrammar_texts import by_xgrammar, compiler


def by_outlines_of_vllm(schema):
    expression = outlines_core.json_schema.build_regex_from_schema(schema)
    # It fails at expressions that Python reads. Each byte is a token: with a whole vocabulary, it takes seconds.
    outlines_core.Index(expression, outlines_core.Vocabulary(256, {bytes([byte]): [byte] for byte in range(256)}))
    # By the expression itself: between tokens of one byte, 0.2.14 allows no `.` after a digit, but `.5` as one token.
    return lambda body: re.fullmatch(expression, body) is not None


def by_outlines_of_sglang(schema):
    import interegular
    from outlines_core.fsm.json_schema import build_regex_from_schema

    refuse_unsupported(json.loads(schema))
    return interegular.parse_pattern(build_regex_from_schema(schema)).to_fsm().accepts


def refuse_unsupported(schema):
    # By its path: the package around it would load for as long as everything else here takes.
    folder = importlib.util.find_spec("sglang").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("checks", f"{folder}/srt/constrained/json_schema_validation.py")
    checks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checks)
    checks.validate_outlines_json_schema(schema)


is_of_vllm = hasattr(outlines_core, "Index")
READERS = {
    "structural_tag": lambda text: by_xgrammar(compiler.compile_structural_tag(text)),
    "grammar": lambda text: by_xgrammar(compiler.compile_grammar(text)),
    "json": by_outlines_of_vllm if is_of_vllm else by_outlines_of_sglang,
}


def judged(asked):
    try:
        allows = READERS[asked["kind"]](asked["text"])
        return {"verdicts": [allows(body) for body in asked["bodies"]], "error": None}
    # Rust panics are no Exception.
    except BaseException as error:
        return {"verdicts": [], "error": str(error)[:300]}


with open(sys.argv[1]) as file:
    answers = [judged(asked) for asked in json.load(file)]
versions = {name: importlib.metadata.version(name) for name in ["xgrammar", "outlines_core"]}
print(json.dumps({"versions": versions, "judged": answers}))
