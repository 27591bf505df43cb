import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.adapters.openai_reply import BrokenReply, ChunkReader, read_reply
from actloop.llm.base import Reply, TextDelta
from actloop.llm.reply import ReplyBuilder
from actloop.messages import Usage


def folded(chunks: Sequence[Any]) -> Reply:
    reader, builder = ChunkReader(), ReplyBuilder()
    for chunk in chunks:
        for delta in reader.read(chunk):
            builder.add(delta)
    for delta in reader.end():
        builder.add(delta)
    return builder.reply()


def chunk(delta: Any = None, finish_reason: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}], **fields}


def pieces(*calls: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return chunk({"tool_calls": list(calls)}, finish_reason)


def piece(arguments: Any = None, *, name: Any = None, id: Any = None, index: Any = 0) -> dict[str, Any]:
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}


def seen(reply: Reply) -> list[tuple[str, str, dict[str, Any]]]:
    return [(call.id, call.name, call.arguments) for call in reply.message.tool_calls]


def completion(message: Any, finish_reason: Any = "stop", **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}], **fields}


def test_a_whole_reply_is_read() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    reply = read_reply(completion({"role": "assistant", "content": "Hi"}, usage=usage))
    assert (reply.message.content, reply.finish_reason) == ("Hi", "stop")
    assert reply.usage == Usage(9, 3, 4, 2, calls=1)


@pytest.mark.parametrize("arguments", ['{"q": 1}', {"q": 1}])
def test_arguments_may_be_text_or_an_object(arguments: Any) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": arguments}}
    reply = read_reply(completion({"content": None, "tool_calls": [call]}, "tool_calls"))
    assert seen(reply) == [("c", "look", {"q": 1})]
    assert seen(folded([pieces(piece(arguments, name="look", id="c"))])) == [("c", "look", {"q": 1})]


def test_missing_arguments_are_none_given() -> None:
    call = {"id": None, "function": {"name": "look", "arguments": None}}
    assert seen(read_reply(completion({"tool_calls": [call]}))) == [("call_1", "look", {})]
    assert seen(folded([pieces(piece(None, name="look"))])) == [("call_1", "look", {})]


def test_two_calls_with_one_id_get_two() -> None:
    calls = [{"id": "same", "function": {"name": "e", "arguments": f'{{"x": {x}}}'}} for x in (1, 2)]
    whole = read_reply(completion({"tool_calls": calls}, "tool_calls"))
    streamed = folded([pieces({"index": 0, **calls[0]}, {"index": 1, **calls[1]}, finish_reason="tool_calls")])
    assert seen(whole) == seen(streamed) == [("same", "e", {"x": 1}), ("same_2", "e", {"x": 2})]


def test_the_old_function_call_is_a_call() -> None:
    legacy = {"function_call": {"name": "look", "arguments": '{"q": 1}'}}
    assert seen(read_reply(completion(legacy, "function_call"))) == [("call_1", "look", {"q": 1})]
    parts = [{"function_call": {"name": "look", "arguments": ""}}, {"function_call": {"arguments": '{"q": 1}'}}]
    assert seen(folded([*map(chunk, parts), chunk({}, "function_call")])) == [("call_1", "look", {"q": 1})]


def test_content_may_be_null_or_parts_with_thoughts_among_them() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Hi"},
        {"type": "text", "text": " there"},
    ]
    for reply in (read_reply(completion({"content": parts})), folded([chunk({"content": parts})])):
        assert (reply.message.content, reply.message.reasoning) == ("Hi there", "hm")
    assert read_reply(completion({"content": None})).message.content == ""


def test_a_refusal_is_the_text() -> None:
    assert read_reply(completion({"content": None, "refusal": "No."})).message.content == "No."
    assert folded([chunk({"refusal": "N"}), chunk({"refusal": "o."})]).message.content == "No."


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field_of_its_own_is_kept_apart(field: str) -> None:
    whole = read_reply(completion({field: "hm", "content": "Hi <think>"}))
    streamed = folded([chunk({field: "h"}), chunk({field: "m"}), chunk({"content": "Hi <think>"}, "stop")])
    assert whole.message == streamed.message
    assert (whole.message.content, whole.message.reasoning) == ("Hi <think>", "hm")
    assert whole.message.reasoning_state == {"reasoning_content": "hm"}


def test_reasoning_in_the_text_is_split_off_also_in_a_stream() -> None:
    reply = folded([chunk({"content": text}) for text in ("<thi", "nk>a <", "b></th", "ink>", "ok")])
    assert (reply.message.content.strip(), reply.message.reasoning) == ("ok", "a <b>")


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("because", "stop"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("SAFETY", "content_filter"),
        ("content_filter", "content_filter"),
        ("function_call", "tool_calls"),
        (None, None),
        ("", None),
        (7, None),
    ],
)
def test_the_word_for_the_end_is_understood(word: Any, meaning: str | None) -> None:
    assert read_reply(completion({"content": "x"}, word)).finish_reason == meaning
    assert folded([chunk({"content": "x"}, word)]).finish_reason == meaning


@pytest.mark.parametrize("word", ["error", "abort", "insufficient_system_resource"])
def test_a_reply_that_the_server_gave_up_is_broken(word: str) -> None:
    with pytest.raises(BrokenReply, match=word):
        read_reply(completion({"content": "x"}, word))
    with pytest.raises(BrokenReply, match=word):
        folded([chunk({"content": "x"}, word)])


@pytest.mark.parametrize(
    "body",
    [None, [], "x", {}, {"choices": None}, {"choices": []}, {"choices": [None]}, completion(None), completion("x")],
)
def test_what_is_no_completion_is_broken(body: Any) -> None:
    with pytest.raises(BrokenReply):
        read_reply(body)


def test_only_the_first_choice_counts() -> None:
    both = {"choices": [{"index": i, "delta": {"content": f"{i}"}, "finish_reason": None} for i in (1, 0)]}
    assert folded([both]).message.content == "0"


@pytest.mark.parametrize(
    "usage", [None, {}, [], {"prompt_tokens": None}, {"prompt_tokens": -1, "completion_tokens": "3"}]
)
def test_counts_that_nobody_reported_stay_unknown(usage: Any) -> None:
    assert read_reply(completion({"content": "x"}, usage=usage)).usage == Usage(calls=1, unreported=1)


def test_the_usage_of_a_stream_is_the_last_that_came() -> None:
    reply = folded(
        [
            chunk({"content": "x"}, usage=None),
            chunk({"content": "y"}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 1}),
            {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}},
        ]
    )
    assert reply.usage == Usage(9, 2, 4, calls=1)


def test_null_deltas_null_calls_and_empty_choices_say_nothing() -> None:
    reply = folded(
        [
            {"choices": []},
            chunk({"role": "assistant", "content": None}),
            chunk({"content": "Hi"}),
            chunk(None),
            chunk({"content": None, "tool_calls": None}),
            chunk({"content": " there"}, "stop"),
        ]
    )
    assert (reply.message.content, reply.message.tool_calls) == ("Hi there", ())


def test_a_stream_without_an_end_has_no_finish_reason() -> None:
    assert folded([chunk({"content": "Hi"})]).finish_reason is None


def test_one_index_for_several_calls_is_told_apart_by_their_ids() -> None:
    reply = folded(
        [
            pieces(piece("", name="look", id="a")),
            pieces(piece('{"q": ')),
            pieces(piece('"x"}')),
            pieces(piece("", name="look", id="b")),
            pieces(piece('{"q": "y"}')),
            pieces(piece('{"r": 1}', name="book", id="c"), finish_reason="tool_calls"),
        ]
    )
    assert seen(reply) == [("a", "look", {"q": "x"}), ("b", "look", {"q": "y"}), ("c", "book", {"r": 1})]


def test_one_index_for_several_whole_calls_without_ids_is_told_apart_too() -> None:
    reply = folded([pieces(piece('{"q": 1}', name="look")), pieces(piece('{"q": 2}', name="look"))])
    assert [arguments for _, _, arguments in seen(reply)] == [{"q": 1}, {"q": 2}]


def test_ids_and_names_repeated_in_every_chunk_make_no_new_call() -> None:
    texts = ("", '{"q":', " 1}", "")
    assert seen(folded([pieces(piece(text, name="look", id="t9")) for text in texts])) == [("t9", "look", {"q": 1})]
    assert [call[1:] for call in seen(folded([pieces(piece(text, name="look")) for text in texts]))] == [
        ("look", {"q": 1})
    ]


def test_a_new_id_without_a_name_continues_the_call() -> None:
    reply = folded([pieces(piece('{"q":', name="look", id="a")), pieces(piece(" 1}", id="b"))])
    assert seen(reply) == [("a", "look", {"q": 1})]


def test_a_name_may_come_in_two_pieces() -> None:
    reply = folded([pieces(piece(name="lo", id="a")), pieces(piece(name="ok")), pieces(piece("{}"))])
    assert seen(reply) == [("a", "look", {})]


def test_pieces_without_an_index_belong_to_their_id_or_to_the_last_call() -> None:
    reply = folded(
        [
            pieces(piece('{"q":', name="look", id="a", index=None)),
            pieces(piece("1}", index=None)),
            pieces(piece('{"q":', name="look", id="b", index=None)),
            pieces(piece("2}", id="b", index=None)),
        ]
    )
    assert seen(reply) == [("a", "look", {"q": 1}), ("b", "look", {"q": 2})]


def test_whole_calls_without_index_and_id_in_one_chunk_are_several() -> None:
    calls = [piece(f'{{"q": {number}}}', name="look", index=None) for number in (1, 2, 3)]
    assert [arguments["q"] for _, _, arguments in seen(folded([pieces(*calls)]))] == [1, 2, 3]


def test_interleaved_calls_are_put_together() -> None:
    reply = folded(
        [
            pieces(piece('{"q":', name="a", id="1", index=0), piece('{"q":', name="b", id="2", index=1)),
            pieces(piece("1}", index=0), piece("2}", index=1)),
        ]
    )
    assert seen(reply) == [("1", "a", {"q": 1}), ("2", "b", {"q": 2})]


def test_the_halves_of_an_emoji_in_two_chunks_are_one_character() -> None:
    reader = ChunkReader()
    deltas = [delta for text in ("a\ud83d", "\ude00b", "\ud83d") for delta in reader.read(chunk({"content": text}))]
    deltas += reader.end()
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "a\U0001f600b\ufffd"


TEXT = "caf\u00e9 \U0001f600 <b> done"
CALLS = [{"q": "\U0001f600 x"}, {"r": [1, 2, {"s": None}]}]


@given(st.lists(st.integers(0, 60), max_size=8), st.booleans())
def test_streamed_anyhow_the_reply_is_the_same(cuts: list[int], with_index: bool) -> None:
    def cut(text: str) -> list[str]:
        edges = sorted({0, len(text), *(edge for edge in cuts if edge < len(text))})
        return [text[start:end] for start, end in pairwise(edges)]

    chunks = [chunk({"content": part}) for part in cut(TEXT)]
    for index, arguments in enumerate(CALLS):
        at = index if with_index else None
        chunks.append(pieces(piece("", name="look", id=f"c{index}", index=at)))
        chunks += [pieces(piece(part, index=at)) for part in cut(json.dumps(arguments, ensure_ascii=False))]
    reply = folded([*chunks, chunk({}, "stop")])
    assert reply.message.content == TEXT
    assert seen(reply) == [("c0", "look", CALLS[0]), ("c1", "look", CALLS[1])]
    assert reply.finish_reason == "tool_calls"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "x", "stop", "function"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "message",
                    "content",
                    "tool_calls",
                    "function",
                    "name",
                    "arguments",
                    "index",
                    "usage",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=4))
def test_no_json_makes_the_reader_fail_but_as_broken(chunks: list[Any]) -> None:
    try:
        folded(chunks)
        folded([{"choices": [{"delta": value}]} for value in chunks])
        read_reply({"choices": [{"message": chunks[0] if chunks else None}]})
    except BrokenReply:
        return
