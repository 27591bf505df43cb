"""Texts of five kinds for `bench.context`, each in four pieces that differ."""

from __future__ import annotations

import inspect
import json
import random

from actloop.agent import calls, loop, native, react

__all__ = ["texts"]

_ENGLISH = (
    "The committee met on Tuesday to discuss the budget for next year. Several members raised concerns about rising "
    "energy prices, and the chair promised to present a revised plan before the end of the month.",
    "Trains between the two cities leave every hour from early morning until midnight. Tickets bought at least three "
    "weeks in advance cost about half as much, but they cannot be exchanged or returned.",
    "When the old lighthouse was restored, workers found letters behind a loose stone in the wall. They had been "
    "written by the keeper's daughter during the long winter of the great storm.",
    "A good test names the behaviour that it protects, sets up only what matters, and fails for one reason. Whoever "
    "reads it a year later should understand what broke without opening another file.",
)
_CHINESE = (
    "昨天的会议讨论了明年的预算，几位委员对能源价格上涨表示担忧，主席答应在月底之前提交修改后的方案。",
    "两座城市之间的列车从清晨到午夜每小时发一班。提前三个星期购票可以便宜一半，但是不能退票，也不能改签。",
    "修复旧灯塔的时候，工人们在墙上一块松动的石头后面发现了几封信，是守塔人的女儿在暴风雨的冬天写下的。",
    "请帮我总结这份合同里的付款条款和违约责任，并且说明哪一方需要在三十天之内完成交付。",
)
_JAPANESE = (
    "昨日の会議では来年の予算について話し合いが行われ、数名の委員がエネルギー価格の上昇に懸念を示しました。",
    "二つの都市を結ぶ列車は早朝から深夜まで一時間ごとに出発します。三週間前までに買えば切符は半額になります。",
    "古い灯台を修復したとき、作業員は壁のゆるんだ石の後ろに手紙を見つけました。灯台守の娘が冬に書いたものです。",
    "この契約書の支払い条件をまとめて、どちらの当事者が三十日以内に納品を完了する必要があるかを説明してください。",
)


def texts() -> dict[str, list[str]]:
    """Four pieces of each kind."""
    return {
        "English": list(_ENGLISH),
        "code": [inspect.getsource(module)[600:1_400] for module in (loop, react, native, calls)],
        "JSON": [_rows(seed) for seed in range(4)],
        "Chinese": list(_CHINESE),
        "Japanese": list(_JAPANESE),
    }


def _rows(seed: int) -> str:
    rng = random.Random(seed)
    rows = [
        {
            "id": rng.randint(1, 99_999),
            "name": rng.choice(["Alice", "Bob", "Carol"]),
            "price": round(rng.random() * 100, 2),
            "in_stock": rng.random() < 0.5,
            "created_at": f"2026-0{rng.randint(1, 9)}-{rng.randint(1, 28):02}T08:14:05Z",
        }
        for _ in range(6)
    ]
    return json.dumps(rows)
