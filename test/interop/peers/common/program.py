# SPDX-License-Identifier: BSL-1.0
"""A program that is told by lines on the standard input what to do, and answers each with one line."""

import os
import queue
import sys
import threading
import traceback


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Program:
    """Subclasses have ready() -> what is said first, answer(command), failed(error) and close()."""

    def unfinished(self):
        """What is said where the input ends before the answer; None: nothing."""
        return None

    def obey(self, commands):
        try:
            say(self.ready())
            while True:
                say(self.answer(commands.get()))
        except BaseException as error:
            traceback.print_exc()
            say(self.failed(error))

    def end(self):
        """Ends the sessions and the program, also if the library hangs."""
        closer = threading.Thread(target=self.close, daemon=True)
        closer.start()
        closer.join(5)
        os._exit(0)

    def run(self):
        commands = queue.Queue()

        def work():
            self.obey(commands)
            self.end()

        threading.Thread(target=work, daemon=True).start()
        for line in sys.stdin:
            commands.put(line.strip())
        last = self.unfinished()
        if last is not None:
            say(last)
        self.end()
