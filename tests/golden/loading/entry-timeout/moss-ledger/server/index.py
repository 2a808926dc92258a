import threading

threading.Event().wait(60)
