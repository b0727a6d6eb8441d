import type { Check } from "@switchyard/core/work/gate/check"
import { whyUnguarded } from "@switchyard/core/work/gate/find-checks"
import type { WorkdirDeps } from "./workdir.ts"

const NAMES: Record<string, string> = { mvn: "Maven" }

/** Returns why these checks require a guarded network that isn't available. Undefined if they can run. */
export async function whyNotGuarded(
  { checkHosts, confinement }: Pick<WorkdirDeps, "checkHosts" | "confinement">,
  checks: Check[],
): Promise<string | undefined> {
  const check = checks.find(({ guarded }) => guarded)
  if (!check || (checkHosts !== undefined && (await confinement()).means === "bubblewrap")) return undefined
  return whyUnguarded(NAMES[check.program] ?? check.program)
}
