"""OpenFlights' files of a small world: cities of the travel experiment, with flights that a test can oversee."""

from pathlib import Path

from commonsense_lab.studies.travelling.network import City, read_cities

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
    named: dict[str, City] = {city.name: city for cities in read_cities().values() for city in cities}
    numbers = {name: number for number, name in enumerate((*LARGE, *MID_SIZE), start=1)}
    airports = [
        f'{number},"{name} Airport","{name}","{named[name].country}","{_code(number)}","ZZ{_code(number)[:2]}",0,0,0,0,'
        '"U","UTC","airport","test"'
        for name, number in numbers.items()
    ]
    both = [*FLIGHTS, *(pair[::-1] for pair in FLIGHTS)]
    routes = [f"XX,1,{_code(numbers[a])},{numbers[a]},{_code(numbers[b])},{numbers[b]},,0,320" for a, b in both]
    files = folder / "airports.dat", folder / "routes.dat"
    for file, lines in zip(files, (airports, routes), strict=True):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return files


def _code(number: int) -> str:
    return chr(ord("A") + number) * 3
