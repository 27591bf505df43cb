"""The world of the first tasks: people, goods, parcels and cities."""

from __future__ import annotations

from datetime import date

from actloop import ToolError
from bench.small_models.world import World, found

__all__ = ["Office"]

_WEATHER = {
    "oslo": "4 degrees, rain",
    "rome": "21 degrees, sunny",
    "cairo": "33 degrees, dry",
    "paris": "12 degrees, fog",
}
_WEATHER |= {
    "北京": "8 degrees, windy",
    "beijing": "8 degrees, windy",
    "東京": "15 degrees, cloudy",
    "tokyo": "15 degrees, cloudy",
}
_STOCK = {"tea": 7, "cups": 12, "lamps": 31, "desks": 5, "りんご": 48, "苹果": 48, "茶杯": 26}
_PRICE = {"lamp": 19, "desk": 140, "chair": 65, "mug": 6, "书": 35, "本": 35}
_PHONE = {"ada": "555-0142", "ben": "555-0177", "mara": "555-0119"}
_STAFF = {"mara": 4471, "joel": 3902, "ada": 5120}
_SALARY = {4471: 52_300, 3902: 48_750, 5120: 61_000}
_MANAGER = {"joel": "Ines", "ada": "Mara"}
_MAIL = {"ines": "ines@north.example", "mara": "mara@north.example", "joel": "joel@north.example"}
_CAPITAL = {"norway": "Oslo", "italy": "Rome", "egypt": "Cairo", "france": "Paris"}
_TRACKING = {"A17": "TRK-8801", "B42": "TRK-8842"}
_PARCEL = {"TRK-8801": "in customs", "TRK-8842": "delivered on Monday"}
_POPULATION = {"oslo": 717_000, "bergen": 291_000, "lagos": 15_900_000, "lima": 10_100_000}
_KILOMETRES = {("oslo", "bergen"): 463, ("rome", "paris"): 1_421}
_FILES = {"index.txt": "The launch code is in file vault.txt", "vault.txt": "launch code: 9361"}


class Office(World):
    """Tools of an office. Names are looked up in lower case unless a tool is meant to be picky."""

    def __init__(self) -> None:
        super().__init__()
        self._failures = 0

    def get_weather(self, city: str) -> str:
        """The weather in a city now."""
        return f"{city}: {found(_WEATHER, city.lower(), 'city')}"

    def get_stock(self, item: str) -> int:
        """Units of an item in the warehouse."""
        return found(_STOCK, item.lower(), "item")

    def get_price(self, item: str) -> int:
        """The price of one unit of an item, in euros."""
        return found(_PRICE, item.lower(), "item")

    def multiply(self, a: float, b: float) -> float:
        """Multiply two numbers."""
        product = a * b
        return int(product) if product == int(product) else product

    def add(self, a: float, b: float) -> float:
        """Add two numbers."""
        total = a + b
        return int(total) if total == int(total) else total

    def get_phone(self, name: str) -> str:
        """The phone number of a person."""
        return found(_PHONE, name.lower(), "person")

    def get_employee_id(self, name: str) -> int:
        """The employee id of a person."""
        return found(_STAFF, name.lower(), "person")

    def get_salary(self, employee_id: int) -> int:
        """The yearly salary that belongs to an employee id, in euros."""
        return found(_SALARY, employee_id, "employee id")

    def get_manager(self, name: str) -> str:
        """Who manages a person."""
        return found(_MANAGER, name.lower(), "person")

    def get_email(self, name: str) -> str:
        """The mail address of a person."""
        return found(_MAIL, name.lower(), "person")

    def get_capital(self, country: str) -> str:
        """The capital of a country."""
        return found(_CAPITAL, country.lower(), "country")

    def get_tracking_number(self, order_id: str) -> str:
        """The tracking number of an order."""
        return found(_TRACKING, order_id.upper(), "order")

    def get_parcel_status(self, tracking_number: str) -> str:
        """Where a parcel is, by its tracking number."""
        return found(_PARCEL, tracking_number, "tracking number")

    def get_population(self, city: str) -> int:
        """How many people live in a city."""
        return found(_POPULATION, city.lower(), "city")

    def get_distance(self, origin: str, destination: str) -> str:
        """The distance between two cities in kilometres."""
        return f"{found(_KILOMETRES, (origin.lower(), destination.lower()), 'pair of cities')} km"

    def km_to_miles(self, kilometres: float) -> float:
        """Convert kilometres to miles."""
        return round(kilometres * 0.621371, 1)

    def convert_currency(self, amount: float, source: str, target: str) -> str:
        """Convert an amount from one currency to another, by three-letter codes."""
        rates = {("USD", "EUR"): 0.92, ("EUR", "USD"): 1.087}
        return f"{amount * found(rates, (source.upper(), target.upper()), 'pair of currencies'):.2f} {target.upper()}"

    def days_between(self, start: str, end: str) -> int:
        """The number of days between two dates, each as YYYY-MM-DD."""
        return (date.fromisoformat(end) - date.fromisoformat(start)).days

    def read_file(self, path: str) -> str:
        """Read a text file."""
        return found(_FILES, path, "file")

    def get_departures(self, station: str) -> str:
        """The next departure from a station."""
        if station not in ("OSL", "BGO"):
            raise ToolError(
                f"{station!r} is no station code; use a code of three letters: OSL for Oslo, BGO for Bergen"
            )
        return {"OSL": "the next train leaves Oslo at 14:35", "BGO": "the next train leaves Bergen at 09:10"}[station]

    def get_exchange_fee(self, day: str) -> str:
        """The exchange fee of a day."""
        try:
            date.fromisoformat(day)
        except ValueError:
            raise ToolError(f"{day!r} is not of the form YYYY-MM-DD; write 5 March 2024 as 2024-03-05") from None
        return "the fee is 3.75 euros"

    def get_shelf(self, item: str) -> str:
        """The shelf on which an item lies."""
        shelves = {"ITEM-tea": "shelf 14", "ITEM-salt": "shelf 22"}
        if item not in shelves:
            raise ToolError(f"unknown item {item!r}; items are written with the prefix ITEM-, for example ITEM-salt")
        return shelves[item]

    def get_battery(self, device: str) -> str:
        """The battery level of a device."""
        self._failures += 1
        if self._failures == 1:
            raise ToolError("the device did not answer; try the same call again")
        return f"{device}: 83 percent"

    def set_alarm(self, time: str) -> str:
        """Set an alarm."""
        return "set"

    def send_email(self, to: str, text: str) -> str:
        """Send a mail."""
        return "sent"

    def book_room(self, room: str) -> str:
        """Book a meeting room."""
        return "booked"

    def translate(self, text: str, language: str) -> str:
        """Translate a text."""
        return text

    def play_music(self, song: str) -> str:
        """Play a song."""
        return "playing"
