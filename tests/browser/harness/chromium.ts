import { existsSync } from "node:fs"
import { type Browser, type BrowserServer, chromium } from "playwright-core"
import { WAIT_MS } from "../../settings.ts"

/**
 * The paths at which Debian, Ubuntu and Chrome's own packages install it. The headless shell comes first: the tests take
 * two thirds of the processor time with it.
 */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
]

/** The browser that this machine has, if it has one. */
export const executablePath = [process.env.CHROMIUM ?? "", ...PLACES].find((path) => existsSync(path))

/** Why no browser can be tried here, if none can. */
export const noChromium = executablePath
  ? undefined
  : "there is no Chromium; apt-get install chromium-headless-shell, or name another one: CHROMIUM=/path/of/chrome"

/**
 * The pop-ups of the address bar, which nobody sees here, are pages with a process of their own in every window: half of what
 * a visit costs. Naming features replaces Playwright's own list, so those of its entries follow that a page could notice.
 */
const WITHOUT = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "PreconnectToSearch",
]

const OPTIONS = {
  executablePath,
  timeout: WAIT_MS,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    // Otherwise the headless shell draws text wider than it measures it.
    "--font-render-hinting=none",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--disable-features=${WITHOUT.join(",")}`,
  ],
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch(OPTIONS)
}

/** A browser that several processes share. */
export function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer({ ...OPTIONS, host: "127.0.0.1" })
}
