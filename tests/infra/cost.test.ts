import { readFileSync } from "node:fs"
import { join } from "node:path"
import { machineHourUsd } from "@switchyard/core/work/usage/machines"
import { readContainerSize } from "@switchyard/functions/container-size"
import { beforeAll, describe, expect, it } from "vitest"
import { LOG_METRICS } from "../../infra/metric-list.ts"
import { type CostLine, idleMonth as idleMonthOf, total } from "../../tools/cloud/idle-month.ts"
import { PRICES } from "../../tools/cloud/prices.ts"
import { needs } from "../needs.ts"
import { asTable, idleMonth, runnerUse, use, workerHour } from "./cost.ts"
import { limitsTable, peopleTable, personMonth, tabMonth } from "./people.ts"
import { missing, root, type Synth, synthesise } from "./synth/synth.ts"

const MOST_DOLLARS = 3

describe("a month in which nobody works", needs(missing), () => {
  let synth: Synth
  beforeAll(async () => {
    synth = await synthesise("prod")
  })

  it("costs under three dollars", () => {
    const lines = idleMonth(synth)
    expect(lines.length).toBeGreaterThan(5)
    expect(total(lines)).toBeLessThan(MOST_DOLLARS)
    expect(total(lines)).toBeGreaterThan(0.5)
  })

  it("costs what docs/cost.md says, and so does what people do", () => {
    const page = readFileSync(join(root, "docs", "cost.md"), "utf8")
    const lines = idleMonth(synth)
    expect(page).toContain(`${asTable(lines)}\n| **together** | **${total(lines).toFixed(2)}** |`)
    expect(page).toContain(asTable(use(synth)))
  })

  it("costs under three dollars with agents too, who cost what docs/cost.md says", async () => {
    const withAgents = await synthesise("dev", { env: { AGENTS: "on" }, bundle: false })
    const lines = idleMonth(withAgents)
    const page = readFileSync(join(root, "docs", "cost.md"), "utf8")
    expect(page).toContain(asTable(lines.filter(({ what }) => what.includes("images"))))
    // Unlike this stage, the sum in `npm run doctor` includes the functions' code.
    const sum = total(idleMonthOf({ AGENTS: "on" }))
    expect(sum).toBeLessThan(MOST_DOLLARS)
    expect(page).toContain(`| **an idle month with agents** | **${sum.toFixed(2)}** |`)
    const each = idleMonth(await synthesise("dev", { env: { AGENTS: "on", AGENT_IMAGES: "each" }, bundle: false }))
    expect(page).toContain(asTable(each.filter(({ what }) => what.includes("AGENT_IMAGES"))))
    const browser = idleMonth(await synthesise("dev", { env: { AGENTS: "on", RUNNER_BROWSER: "on" }, bundle: false }))
    expect(page).toContain(asTable(browser.filter(({ what }) => what.includes("RUNNER_BROWSER"))))
    const ofRunners = runnerUse(withAgents)
    expect(page).toContain(asTable(ofRunners))
    // The costs shown for runs must match the deployed sizes.
    expect(ofRunners[0]?.dollars).toBeCloseTo(machineHourUsd("container"), 10)
    expect(workerHour(withAgents)).toBeCloseTo(machineHourUsd("function"), 10)
    const { plain, agents } = personMonth(withAgents)
    expect(page).toContain(`${plain.toFixed(2)} dollars a person, and ${agents.toFixed(2)} more with agents`)
    expect(page).toContain(peopleTable([synth, withAgents], [10, 30, 100, 300, 1000, 3000]))
    expect(page).toContain(limitsTable(withAgents))
    const record = readFileSync(join(root, "docs", "decisions", "open-tabs.md"), "utf8")
    const [streams, gateway, events] = Object.values(tabMonth(withAgents)).map((dollars) => dollars.toFixed(2))
    expect(record).toContain(`${streams} dollars a month`)
    expect(record).toContain(`${gateway} dollars with API Gateway, and ${events} with AppSync Events`)
  })

  it("costs what docs/cost.md says for the metrics of runs, in a month without a quiet hour", () => {
    const ofAgents = ["LaunchesGivenUp", "TimeToContainer", "SessionsWaiting"]
    const [plain, all] = [LOG_METRICS.filter(({ name }) => !ofAgents.includes(name)), LOG_METRICS].map(
      (metrics) => metrics.length * PRICES.metricMonth,
    )
    const page = readFileSync(join(root, "docs", "cost.md"), "utf8")
    expect(page).toContain(`they cost ${plain?.toFixed(2)} dollars, and ${all?.toFixed(2)} with agents`)
  })

  it("costs what docs/cost.md says for each setting that has a price", async () => {
    const env = {
      ...{ DASHBOARD: "on", FIREWALL: "on", KMS_KEY: "on", BUDGET_DOLLARS: "50", ALARM_EMAIL: "ops@example.com" },
      BACKUP_VAULT: "arn:aws:backup:eu-central-1:210987654321:backup-vault:switchyard",
    }
    const without = idleMonth(synth).map(({ what }) => what)
    const more = idleMonth(await synthesise("prod", { env, bundle: false })).filter(
      ({ what }) => !without.includes(what),
    )
    expect(more).toHaveLength(4)
    expect(readFileSync(join(root, "docs", "cost.md"), "utf8")).toContain(asTable(more))
  })

  it("costs what docs/cost.md says for a container that waits for sessions", async () => {
    const env = { AGENTS: "on", WARM_RUNNERS: "1" }
    const lines = idleMonth(await synthesise("dev", { env, bundle: false }))
    const [waiting] = lines.filter(({ what }) => what.includes("WARM_RUNNERS"))
    expect(waiting?.dollars).toBeGreaterThan(40)
    expect(readFileSync(join(root, "docs", "cost.md"), "utf8")).toContain(asTable(waiting ? [waiting] : []))
  })

  it("costs what docs/cost.md says for an hour of a container of each size", async () => {
    const sizes = [1, 2, 4, 8, 16].map((vcpus) => readContainerSize({ RUNNER_VCPUS: vcpus }))
    const hours = sizes.map((size) => ({ size, dollars: machineHourUsd("container", size) }))
    const rows = hours.map(({ size, dollars }) => `| ${size.vcpu}, ${size.gb} GB | ${dollars.toFixed(2)} |`)
    const page = readFileSync(join(root, "docs", "cost.md"), "utf8")
    expect(page).toContain(rows.join("\n"))
    const large = { RUNNER_VCPUS: "16", RUNNER_MEMORY_GB: "120", RUNNER_DISK_GB: "200" }
    const synth = await synthesise("dev", { env: { ...large, AGENTS: "on", WARM_RUNNERS: "1" }, bundle: false })
    const [hour] = runnerUse(synth)
    expect(hour?.dollars).toBeCloseTo(machineHourUsd("container", readContainerSize(large)), 10)
    expect(page).toContain(`16 vCPUs, 120 GB and a disk of 200 GB, costs ${hour?.dollars.toFixed(2)} an hour`)
    const amd = await synthesise("dev", { env: { AGENTS: "on", RUNNER_ARCHITECTURE: "amd64" }, bundle: false })
    const [amdHour] = runnerUse(amd)
    const amdSize = readContainerSize({ RUNNER_ARCHITECTURE: "amd64" })
    expect(amdHour?.dollars).toBeCloseTo(machineHourUsd("container", amdSize), 10)
    expect(page).toContain(`1 vCPU and 4 GB cost ${amdHour?.dollars.toFixed(2)} an hour`)
    const ofWaiting = (lines: CostLine[]) => lines.find(({ what }) => what.includes("WARM_RUNNERS"))?.dollars
    const told = idleMonthOf({ ...large, AGENTS: "on", WARM_RUNNERS: "1" })
    expect(ofWaiting(told)).toBeCloseTo(ofWaiting(idleMonth(synth)) ?? 0, 10)
  })

  it("costs what `npm run doctor` says before it stands, for any settings", async () => {
    // Only `synth` is built with its code.
    expect(cents(idleMonthOf({}))).toEqual(cents(idleMonth(synth)))
    expect(total(idleMonthOf({})).toFixed(2)).toBe(total(idleMonth(synth)).toFixed(2))
    const backup = { BACKUP_VAULT: "arn:aws:backup:eu-central-1:210987654321:backup-vault:switchyard" }
    const all = { DASHBOARD: "on", FIREWALL: "on", KMS_KEY: "on", SOCKETS: "on", ...backup }
    for (const env of [
      { AGENTS: "on", WARM_RUNNERS: "2" },
      { ...all, AGENTS: "on", AGENT_IMAGES: "each", RUNNER_BROWSER: "on", WARM_RUNNERS: "0" },
    ]) {
      const stands = idleMonth(await synthesise("prod", { env, bundle: false }))
      expect(cents(idleMonthOf(env).filter(isNoCode))).toEqual(cents(stands.filter(isNoCode)))
    }
  })

  it("would be seen to cost more with a larger sweep", async () => {
    const edits = [{ file: "infra/schedule.ts", from: "256 MB", to: "10240 MB" }]
    const lines = idleMonth(await synthesise("prod", { edits, bundle: false }))
    expect(total(lines)).toBeGreaterThan(MOST_DOLLARS)
  })

  it("has a price for everything that stands", async () => {
    const to = 'new sst.aws.Vpc("Vpc", { nat: "managed" })\n  return createFunction('
    const edits = [{ file: "infra/worker.ts", from: "return createFunction(", to }]
    const synthesised = await synthesise("prod", { edits, bundle: false })
    expect(() => idleMonth(synthesised)).toThrow(/What does it cost\? .*NatGateway/)
  })
})

const isNoCode = ({ what }: CostLine) => !what.startsWith("the code")

function cents(lines: CostLine[]): Record<string, string> {
  return Object.fromEntries(lines.map(({ what, dollars }) => [what, dollars.toFixed(2)]))
}
