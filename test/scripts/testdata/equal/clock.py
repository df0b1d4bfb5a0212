import datetime, time, uuid, os, random

# Without permissions, time and random numbers are those of every call.


def run(args):
    return [time.time() > 0, random.random(), str(uuid.uuid4()), os.urandom(8).hex(), str(datetime.date.today())]
