import { locate } from "@switchyard/runner/programs/locate"
import { openConfinement } from "@switchyard/runner/sandbox/confinement"
import { needs } from "../../needs.ts"

const [bwrap, perl] = (await Promise.all(["bwrap", "perl"].map((name) => locate(name, process.env.PATH ?? "")))).map(
  (found) => found?.file,
)

/** Sandbox that this machine provides. */
export const confinement = await openConfinement({ mode: "auto", bwrap, perl })
export const needsSandbox = needs(
  confinement.means === "bubblewrap" ? undefined : "there is no bubblewrap that works (apt-get install bubblewrap)",
)
