/// <reference path="../.sst/platform/config.d.ts" />
import type { Functions } from "./alarms.ts"
import { METRICS } from "./metrics.ts"
import { dashboard } from "./stage.ts"

type Metric =
  | [namespace: string, name: string, dimension: string, of: $util.Input<string>, options: object]
  | [namespace: string, name: string, options: object]

/**
 * Creates a CloudWatch dashboard if `DASHBOARD` is on. The dashboard costs more than all other idle resources combined.
 */
export function createDashboard({ table, ...functions }: Functions & { table: $util.Input<string> }): void {
  if (!dashboard) return
  const { region } = aws.getRegionOutput({})
  const present = Object.entries(functions).flatMap(([label, fn]) => (fn ? [{ label, fn }] : []))
  const eachOf = (name: string, stat: string) =>
    present.map(({ label, fn }): Metric => ["AWS/Lambda", name, "FunctionName", fn.name, { label, stat }])
  const ofTheTable = (names: string[]) =>
    names.map((name): Metric => ["AWS/DynamoDB", name, "TableName", table, { label: name, stat: "Sum" }])
  const ofRuns = (names: string[], stat = "Sum") => names.map((name): Metric => [METRICS, name, { label: name, stat }])

  const charts: [title: string, metrics: Metric[]][] = [
    ["Invocations", eachOf("Invocations", "Sum")],
    ["Errors", eachOf("Errors", "Sum")],
    ["At once", eachOf("ConcurrentExecutions", "Maximum")],
    ["Throttled by Lambda", eachOf("Throttles", "Sum")],
    ["Milliseconds, 95th percentile", eachOf("Duration", "p95")],
    ["5xx responses", eachOf("Url5xxCount", "Sum").slice(0, 2)],
    ["Table capacity used", ofTheTable(["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"])],
    ["Throttled by the table", ofTheTable(["ReadThrottleEvents", "WriteThrottleEvents"])],
    ["Failures", ofRuns(["RunsFailed", "LaunchesGivenUp"])],
    ["Sessions that wait for a slot", ofRuns(["SessionsWaiting"], "Maximum")],
    ["Milliseconds until a container works, 95th percentile", ofRuns(["TimeToContainer"], "p95")],
    ["Tokens", ofRuns(["Tokens"])],
    ["Dollars for tokens", ofRuns(["Dollars"])],
  ]
  new aws.cloudwatch.Dashboard("Dashboard", {
    dashboardName: `${$app.name}-${$app.stage}`,
    dashboardBody: $jsonStringify({
      widgets: charts.map(([title, metrics], index) => ({
        type: "metric",
        x: (index % 2) * 12,
        y: Math.floor(index / 2) * 6,
        width: 12,
        height: 6,
        properties: { title, metrics, region, period: 300, view: "timeSeries" },
      })),
    }),
  })
}
