"""OpenFlights' files of a small world: cities of the travel experiment, with flights that a test can oversee."""

from collections.abc import Iterable
from pathlib import Path

from commonsense_lab.studies.travelling.network import read_cities

LARGE = ("Tokyo", "London", "Cairo", "Lima")
MID_SIZE = ("Oslo", "Porto", "Riga")
# there and back
FLIGHTS = (
    ("London", "Tokyo"),
    ("London", "Cairo"),
    ("London", "Oslo"),
    ("London", "Porto"),
    ("Oslo", "Riga"),
    ("Lima", "Porto"),
)


def write_world(folder: Path) -> tuple[Path, Path]:
    """Write both files; airports.dat and routes.dat."""
    countries = {city.name: city.country for cities in read_cities().values() for city in cities}
    names = (*LARGE, *MID_SIZE)
    both = [(names.index(a), names.index(b)) for pair in FLIGHTS for a, b in (pair, pair[::-1])]
    return write_flights(folder, [(name, countries[name]) for name in names], both)


def write_flights(
    folder: Path, cities: Iterable[tuple[str, str]], flights: Iterable[tuple[int, int]]
) -> tuple[Path, Path]:
    """Files of cities, as name and country, with an airport each, and of flights from one by its number to another."""
    airports = [
        f'{i},"Airport","{name}","{country}","","",0,0,0,0,"","","airport",""'
        for i, (name, country) in enumerate(cities)
    ]
    routes = [f"X,1,,{start},,{end},,0," for start, end in flights]
    files = folder / "airports.dat", folder / "routes.dat"
    for file, lines in zip(files, (airports, routes), strict=True):
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return files
