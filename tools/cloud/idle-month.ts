import {
  type ContainerSize,
  MACHINE_PRICES_AS_OF,
  MACHINE_PRICES_REGION,
  machineHourUsd,
} from "@switchyard/core/work/usage/machines"
import { readContainerSize } from "@switchyard/functions/container-size"
import { ALARMS_OF_FUNCTIONS, ALARMS_OF_LAUNCHES, ALARMS_OF_RUNS, ALARMS_OF_THE_TABLE } from "../../infra/alarm-list.ts"
import { readFirewall } from "./firewall.ts"
import { readRunnerBrowser } from "./image-packages.ts"
import { COPY_KEPT_DAYS, IMAGES_KEPT, OWN_IMAGES } from "./kept.ts"
import { HOURS_A_MONTH, MINUTES_A_MONTH, PRICES } from "./prices.ts"
import { readWarmRunners } from "./warm.ts"

export interface CostLine {
  what: string
  dollars: number
}

/** Data stored by an idle installation. */
const KEPT = {
  recordGb: 0.1,
  blobGb: 1,
  deployments: 20,
  studioGb: 0.002,
  imageGb: { all: 0.76, agent: 0.45, plain: 0.33, browser: 0.97 },
}
/** Megabytes of a deployment's code. With agents or sockets, there are more functions. */
const CODE_MB = { all: 23, agents: 6, sockets: 12 }

/** Cost line of each kind of image. */
const IMAGES: Record<keyof typeof KEPT.imageGb, string> = {
  all: "the runner's newest images",
  agent: "`AGENT_IMAGES=each`",
  plain: "`AGENT_IMAGES=each`",
  browser: "`RUNNER_BROWSER=on`",
}

const SWEEP = { everyMinutes: 1, gb: 0.25, seconds: 0.5, reads: 1, logBytes: 1500 }
/** Requests by a waiting container, one every two seconds, and the work of tending it. */
const WAITING = {
  asksAnHour: 1800,
  gb: 0.25,
  seconds: 0.02,
  reads: 1,
  logBytes: 1500,
  lookAnHour: 12,
  lookGbSeconds: 1,
}

/** Monthly cost of each idle resource, for `doctor` and the test of the synthesized stage. */
export const month = {
  alarms: (count: number) => ({ what: "alarms", dollars: count * PRICES.alarmMonth }),
  sweep({ everyMinutes, gb }: { everyMinutes: number; gb: number }): CostLine[] {
    const calls = MINUTES_A_MONTH / everyMinutes
    const logGb = (calls * SWEEP.logBytes) / 1e9
    const work = calls * PRICES.lambdaRequest + calls * SWEEP.seconds * gb * PRICES.lambdaGbSecond
    return [
      { what: "the sweep, once a minute", dollars: work },
      { what: "the schedule that calls the sweep", dollars: calls * PRICES.scheduledInvocation },
      { what: "the sweep's reads", dollars: calls * SWEEP.reads * PRICES.recordRead },
      { what: "the sweep's log", dollars: logGb * (PRICES.logGb + PRICES.logGbMonth) },
    ]
  },
  records(isBackedUp: boolean): CostLine {
    const perGb = PRICES.recordGbMonth + (isBackedUp ? PRICES.recordBackupGbMonth : 0)
    return { what: "100 MB of records, and their backup", dollars: KEPT.recordGb * perGb }
  },
  files: (): CostLine => ({ what: "1 GB of files", dollars: KEPT.blobGb * PRICES.blobGbMonth }),
  studio(): CostLine {
    return { what: "the studio of 20 deployments", dollars: KEPT.deployments * KEPT.studioGb * PRICES.blobGbMonth }
  },
  code(megabytes: number): CostLine {
    const gb = (KEPT.deployments * megabytes) / 1000
    return { what: "the code of 20 deployments", dollars: gb * PRICES.blobGbMonth }
  },
  dashboard: (): CostLine => ({ what: "`DASHBOARD=on`", dollars: PRICES.dashboardMonth }),
  firewall(rules: number): CostLine {
    return { what: "`FIREWALL=on`", dollars: PRICES.firewallMonth + rules * PRICES.firewallRuleMonth }
  },
  key: (): CostLine => ({ what: "`KMS_KEY=on`", dollars: PRICES.keyMonth }),
  /** Nightly backups. Each backup of the records is complete; backups of the files contain only changes. */
  copies(keptDays: number[]): CostLine {
    const records = keptDays.reduce((sum, days) => sum + days, 0) * KEPT.recordGb * PRICES.recordCopyGbMonth
    const dollars = records + keptDays.length * KEPT.blobGb * PRICES.blobCopyGbMonth
    return { what: "`BACKUP_VAULT`, in both accounts", dollars }
  },
  images(of: keyof typeof KEPT.imageGb, count: number): CostLine {
    const dollars = count * KEPT.imageGb[of] * PRICES.imageGbMonth
    return { what: IMAGES[of], dollars }
  },
  /** Containers that wait for sessions, and their requests. */
  waiting(count: number, size?: ContainerSize): CostLine {
    const { asksAnHour, gb, seconds, reads, logBytes, lookAnHour, lookGbSeconds } = WAITING
    const log = (logBytes / 1e9) * (PRICES.logGb + PRICES.logGbMonth)
    const ask = PRICES.lambdaRequest + gb * seconds * PRICES.lambdaGbSecond + reads * PRICES.recordRead + log
    const look = lookAnHour * (PRICES.lambdaRequest + lookGbSeconds * PRICES.lambdaGbSecond)
    const hour = machineHourUsd("container", size) + asksAnHour * ask
    return { what: `\`WARM_RUNNERS=${count}\``, dollars: HOURS_A_MONTH * (count * hour + look) }
  },
}

/**
 * Adds up the costs of each resource, most expensive first. Resources below a cent are sorted by name, because their
 * order would otherwise change with every line of code.
 */
export function summed(lines: CostLine[]): CostLine[] {
  const sums = new Map<string, number>()
  for (const { what, dollars } of lines) sums.set(what, (sums.get(what) ?? 0) + dollars)
  return [...sums].map(([what, dollars]) => ({ what, dollars })).sort(byPrice)
}

function byPrice(a: CostLine, b: CostLine): number {
  const [dear, dearer] = [a, b].map(({ dollars }) => (dollars < 0.01 ? 0 : dollars)) as [number, number]
  return dearer - dear || a.what.localeCompare(b.what)
}

export function total(lines: CostLine[]): number {
  return lines.reduce((sum, { dollars }) => sum + dollars, 0)
}

/** Returns an idle stage's monthly costs with these settings. Throws for invalid settings. */
export function idleMonth(env: Record<string, string | undefined>): CostLine[] {
  const agents = env.AGENTS === "on"
  const sockets = env.SOCKETS === "on"
  const isThere: Partial<Record<string, boolean>> = {
    credentials: agents,
    logins: agents,
    slots: agents,
    socket: sockets,
    pump: sockets,
  }
  const watched = Object.entries(ALARMS_OF_FUNCTIONS).filter(([name]) => isThere[name] ?? true)
  const others = [ALARMS_OF_THE_TABLE, ALARMS_OF_RUNS, ...(agents ? [ALARMS_OF_LAUNCHES] : [])]
  const alarms = [...watched.map(([, alarms]) => alarms), ...others].flatMap((each) => Object.keys(each))
  const codeMb = CODE_MB.all + (agents ? CODE_MB.agents : 0) + (sockets ? CODE_MB.sockets : 0)
  const warm = readWarmRunners(env.WARM_RUNNERS, { agents })
  const each = agents && env.AGENT_IMAGES === "each"
  return summed([
    month.alarms(alarms.length),
    ...month.sweep(SWEEP),
    ...[month.records(true), month.files(), month.studio(), month.code(codeMb)],
    ...(env.DASHBOARD === "on" ? [month.dashboard()] : []),
    ...(readFirewall(env.FIREWALL) ? [month.firewall(1)] : []),
    ...(env.KMS_KEY === "on" ? [month.key()] : []),
    ...(env.BACKUP_VAULT ? [month.copies(Object.values(COPY_KEPT_DAYS))] : []),
    ...(agents ? [month.images("all", IMAGES_KEPT)] : []),
    ...(each ? [...OWN_IMAGES.map(() => month.images("agent", IMAGES_KEPT)), month.images("plain", IMAGES_KEPT)] : []),
    ...(readRunnerBrowser(env.RUNNER_BROWSER, { agents }) ? [month.images("browser", IMAGES_KEPT)] : []),
    ...(warm > 0 ? [month.waiting(warm, readContainerSize(env))] : []),
  ])
}

/** Formats the monthly costs and their total for the terminal. */
export function asBill(lines: CostLine[]): string {
  const line = (dollars: string, what: string) => `   ${dollars.padStart(8)}  ${what.replaceAll("`", "")}`
  const few = lines.filter(({ dollars }) => dollars < 0.01)
  const rest = few.length > 0 ? [{ what: few.map(({ what }) => what).join(", "), dollars: total(few) }] : []
  return [
    `An idle month in dollars, at AWS's list prices in ${MACHINE_PRICES_REGION} of ${MACHINE_PRICES_AS_OF}:`,
    ...[...lines.filter((one) => !few.includes(one)), ...rest].map(({ dollars, what }) =>
      line(dollars.toFixed(2), what),
    ),
    line(total(lines).toFixed(2), "together; see docs/cost.md for the costs of work"),
  ].join("\n")
}
