# SPDX-License-Identifier: BSL-1.0
"""The report in Chromium without a window, by Debian's chromium-driver and python3-selenium."""
import json
import pathlib

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By


class Browser:
    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # Root may not use the sandbox. The page is our own.
        for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def show(self, page, width, scheme, scale=1):
        """Opens the page anew. scheme: what the reader prefers, light or dark."""
        self.driver.get("about:blank")
        self.requests()  # those of pages before
        self.resize(width, scale)
        self.prefer(scheme)
        self.driver.get(pathlib.Path(page).resolve().as_uri())

    def prefer(self, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def resize(self, width, scale=1):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": scale, "mobile": width < 500})

    def script(self, text):
        return self.driver.execute_script(text)

    def complaints(self):
        """What the browser wrote about the page: errors of scripts, and what was not allowed to be loaded."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """The addresses of all that was asked for since the last call."""
        events = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def picture(self, selector, file):
        self.driver.find_element(By.CSS_SELECTOR, selector).screenshot(str(file))
