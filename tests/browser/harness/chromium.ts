import { existsSync } from "node:fs"
import { type Browser, type BrowserServer, chromium } from "playwright-core"
import { WAIT_MS } from "../../settings.ts"

/** Where Debian, Ubuntu and Chrome's own packages put it. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The browser that this machine has, if it has one. */
export const executablePath = [process.env.CHROMIUM ?? "", ...PLACES].find((path) => existsSync(path))

/** Why no browser can be tried here, if none can. */
export const noChromium = executablePath
  ? undefined
  : "there is no Chromium; apt-get install chromium, or name another one: CHROMIUM=/path/of/chrome"

const OPTIONS = {
  executablePath,
  timeout: WAIT_MS,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch(OPTIONS)
}

/** A browser that several processes share. */
export function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer({ ...OPTIONS, host: "127.0.0.1" })
}
