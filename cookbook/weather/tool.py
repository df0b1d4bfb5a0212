from urllib.parse import quote

import wasmtool

SERVER = "https://api.openweathermap.org"
UNITS = {"metric": ("°C", "m/s"), "imperial": ("°F", "mph")}


def run(args):
    units = wasmtool.context()["settings"]["units"]
    places = get(f"/geo/1.0/direct?q={quote(args['place'])}&limit=1")
    if not places:
        raise wasmtool.Error(f'no place "{args["place"]}" was found; try a larger city near it, or add the country: Paris,US')
    place = places[0]
    now = get(f"/data/2.5/weather?lat={place['lat']}&lon={place['lon']}&units={units}")
    degrees, speed = UNITS[units]
    return (
        f"{place['name']}, {place['country']}: {now['weather'][0]['description']}, "
        f"{now['main']['temp']} {degrees} (feels like {now['main']['feels_like']} {degrees}), "
        f"humidity {now['main']['humidity']} %, wind {now['wind']['speed']} {speed}"
    )


def get(path):
    try:
        response = wasmtool.http("GET", SERVER + path)
    except wasmtool.HostError as e:  # denied, no secret, no network: the message says what to do
        raise wasmtool.Error(e.message)
    if response.status != 200:
        # The answer of a failing server may be anything.
        raise wasmtool.Error(f"the weather service answered with status {response.status}: {response.text[:200]}")
    return response.json()
