import { BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import type { InstallDeps } from "@switchyard/runner/programs/install"
import { confinement } from "../runner/sandbox/confined.ts"
import { dryCases, nameOf, playDry } from "./dry-accounts.ts"
import { gitEscapes, nameOfEscape, playGitEscape } from "./git-escapes.ts"
import { hostileScenarios } from "./hostile-repository.ts"
import { limitScenarios, playLimits, usedForLimits } from "./limits.ts"
import { nameOfLogin, playLogin, usedForLogins } from "./logins.ts"
import { cases, fetchCases, playCase, readCases, ruleCases } from "./permission-cases.ts"
import { documentedPermissions } from "./permission-table.ts"
import { budgetScenario, models, type Scenario, scenarios, withStage } from "./scenarios.ts"
import { setupScenarios } from "./setup-scenario.ts"
import { playStorm, usedForStorm } from "./storm.ts"
import { toolScenarios } from "./tool-scenario.ts"

/** A scenario of real programs. */
export interface Play {
  name: string
  /** Programs that the play needs. */
  uses: readonly BuiltInCli[]
  /** Resolves to the outcome of a permission case. Other plays resolve to undefined. */
  run(): Promise<string | undefined>
  /** Outcome that a document promises. */
  expected?: string
  /** Row in the table of permissions. */
  row?: string
}

const STORM_SEED = 1

/** Programs that can be played. */
export const playable = BuiltInCli.options.filter((cli) => models[cli])

/** Returns all plays, longest first. In a sandbox, only plays of a single program without a server. */
export function allPlays(install: InstallDeps, isConfined: boolean): Play[] {
  const ofPrograms = playable.flatMap((cli) => playsOf(cli, install, isConfined))
  return isConfined ? ofPrograms : [...playsOfServers(install.folder), ...ofPrograms]
}

/** Returns plays on whole servers or runners, which run with and without a sandbox anyway. */
function playsOfServers(programs: string): Play[] {
  const play = (name: string, uses: readonly BuiltInCli[], run: () => Promise<void>): Play => ({
    ...{ name, uses },
    run: () => run().then(() => undefined),
  })
  return [
    play("Eight agents of four programs at once, whose runner is killed at 20 instants", usedForStorm, () =>
      playStorm(programs, STORM_SEED),
    ),
    ...playable.flatMap((cli) =>
      hostileScenarios(cli).map((scenario) => play(scenario.name, [cli], () => scenario.run(programs))),
    ),
    ...gitEscapes.map((one) => play(nameOfEscape(one), [one.cli], () => playGitEscape(one, programs))),
    ...limitScenarios.map((scenario) => play(scenario.name, usedForLimits, () => playLimits(scenario, programs))),
    ...dryCases.map((one) => play(nameOf(one), [one.cli, one.next], () => playDry(one, programs))),
    ...usedForLogins.map((cli) => play(nameOfLogin(cli), [cli], () => playLogin(cli, programs))),
  ]
}

/** Returns plays of one program without a server. */
function playsOf(cli: BuiltInCli, install: InstallDeps, isConfined: boolean): Play[] {
  const how = { install, confinement: isConfined ? confinement : undefined }
  const { title } = clis[cli]
  const plain = ({ name, run }: Scenario): Play => ({
    ...{ name: `${title} ${name}`, uses: [cli] },
    run: () => withStage(cli, how, run).then(() => undefined),
  })
  const promised = documentedPermissions().get(cli)
  // Codex reads and fetches with commands, so rules about tools for that don't affect it.
  const others = { read: cli === "codex" ? [] : readCases, fetch: ["codex", "vibe"].includes(cli) ? [] : fetchCases }
  const rules = [...ruleCases, ...others.read, ...others.fetch]
  return [
    ...[...scenarios, budgetScenario, ...toolScenarios, ...setupScenarios].map(plain),
    ...[...cases, ...rules].map(
      (one): Play => ({
        ...{ name: `${title} ${one.name}`, uses: [cli] },
        run: () => withStage(cli, how, (stage) => playCase(stage, one)),
        // Rules hold in every mode and every program. Gemini refuses some edits by itself.
        ...(cases.includes(one)
          ? { row: one.name, expected: promised?.get(one.name) ?? "a row" }
          : { expected: (cli === "gemini" && one.asked > 0 && one.unless) || "yes" }),
      }),
    ),
  ]
}
