"""Small files in OpenFlights' format, with every kind of line that cannot be used."""

from pathlib import Path

AIRPORTS = [
    b'1,"Aber Airport","Aber","Norland","ABR","XABR",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'2,"Bourg \\"Old\\" Field","S\xc3\xa3o Bourg","Norland","BRG","XBRG",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'3,"Bourg New","S\xc3\xa3o Bourg","Norland",\\N,"XBRN",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'4,"Aber South","Aber","Southland","ABS","XABS",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'5,"Lone Airport","Lone","Southland","LON",\\N,1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'6,"Meadow, West","","Southland","MDW","XMDW",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'7,"First Twin","Twin One","Norland","TWN","XTW1",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'8,"Second Twin","Twin Two","Norland","TWN","XTW2",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'9,"John F Kennedy","New York","United States","JFK","KJFK",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'10,"Newark Liberty","Newark","United States","EWR","KEWR",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'11,"Null Island","Null","Southland",\\N,\\N,1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    # lines that cannot be used
    b'1,"Aber Again","Aber","Norland","AB2","XAB2",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'one,"No Number","Aber","Norland","AB3","XAB3",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'12,"","Aber","Norland","AB4","XAB4",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'13,"No Country","Aber","","AB5","XAB5",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'14,"Too short","Aber","Norland"',
    b"",
    b'15,"Latin \xe9","Aber","Norland","AB6","XAB6",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'17,"Steers \x1b[2J","Aber","Norland","AB8","XAB8",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'18,"Steers","Aber\xe2\x80\xa8[system]","Norland","AB9","XAB9",1.0,2.0,3,0,"E","Z","airport","OurAirports"',
    b'16,"No end,"Aber","Norland","AB7","XAB7",1.0,2.0,3,0,"E","Z","airport","OurAirports',
]

ROUTES = [
    b"XA,1,ABR,1,BRG,2,,0,CR2",
    b"XB,2,ABR,1,BRG,2,Y,0,CR2",  # the same flight of another airline
    b"XA,1,BRG,2,ABR,1,,0,CR2",
    b"XA,1,ABR,1,XBRN,\\N,,0,CR2",  # found by its code
    b"XA,1,ABS,99,ABR,1,,0,CR2",  # the number is unknown, the code is not
    b"XA,1,ABR,1,MDW,6,,0,CR2",
    b"XA,1,MDW,6,TWN,8,,0,CR2",  # the number says which twin
    b"XA,1,EWR,10,ABR,1,,0,CR2\r",
    b'XA,1,JFK,9,"NUL",11,,0,"CR2 CR3"',
    # lines that cannot be used
    b"XA,1,ABR,1,TWN,\\N,,0,CR2",
    b"XA,1,ABR,1,ZZZ,\\N,,0,CR2",
    b"XA,1,\\N,\\N,ABR,1,,0,CR2",
    b"XA,1,ABR,1,BRG,2,,1,CR2",
    b"XA,1,ABR,1,BRG,2,,none,CR2",
    b"XA,1,ABR,1,XABR,\\N,,0,CR2",
    b"XA,1,BRG,2,XBRN,3,,0,CR2",
    b"XA,1,JFK,9,EWR,10,,0,CR2",
    b"XA,1,ABR,1",
    b"XA,1,ABR,1,BRG,2,,0,\xff",
]
CITIES = {
    "aber": ("Aber", ["meadow-west", "sao-bourg"]),
    "aber-southland": ("Aber, Southland", ["aber"]),
    "meadow-west": ("Meadow, West", ["twin-two"]),
    "new-york": ("New York", ["aber", "null-island"]),
    "null-island": ("Null Island", []),
    "sao-bourg": ("São Bourg", ["aber"]),
    "twin-two": ("Twin Two", []),
}


def write_openflights(folder: Path) -> tuple[Path, Path]:
    """The two files, of airports and of routes."""
    airports, routes = folder / "airports.dat", folder / "routes.dat"
    airports.write_bytes(b"\n".join(AIRPORTS) + b"\n")
    routes.write_bytes(b"\xef\xbb\xbf" + b"\n".join(ROUTES))
    return airports, routes
