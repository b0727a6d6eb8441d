import { existsSync } from "node:fs"
import { type Browser, type BrowserServer, chromium } from "playwright-core"
import { WAIT_MS } from "../../settings.ts"

/**
 * Paths where Debian, Ubuntu and Chrome's own packages install the browser. The headless shell comes first, because the
 * tests take a third less processor time with it.
 */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
]

/** Path of this machine's browser; undefined if none is installed. */
export const executablePath = [process.env.CHROMIUM ?? "", ...PLACES].find((path) => existsSync(path))

/** Reason to skip the browser's tests; undefined if a browser is installed. */
export const noChromium = executablePath
  ? undefined
  : "there is no Chromium; apt-get install chromium-headless-shell, or name another one: CHROMIUM=/path/of/chrome"

/**
 * Disables the address bar's pop-ups, which are pages with a process of their own in every window: half the cost of a
 * visit. Naming features replaces Playwright's own list, so its entries that a page could notice follow.
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
    // Without this flag, the headless shell draws text wider than it measures it.
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

/** Launches a browser that several processes share. */
export function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer({ ...OPTIONS, host: "127.0.0.1" })
}
