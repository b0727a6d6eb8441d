/// <reference path="../.sst/platform/config.d.ts" />
import type { Functions } from "./alarms.ts"
import { LOG_METRICS } from "./metric-list.ts"

/** Namespace of the stage's own metrics. */
export const METRICS = `${$app.name}/${$app.stage}`

/**
 * Creates filters that count the stage's metrics in the logs of its functions and containers. Metrics whose logs don't
 * exist on this stage are left out.
 */
export function createMetrics(functions: Functions, runnerLogs: $util.Input<string> | undefined): void {
  const groups = new Map<string, $util.Input<string> | undefined>([["runner", runnerLogs]])
  for (const [name, fn] of Object.entries({ ...functions })) groups.set(name, fn?.logGroup)
  for (const { name, pattern, value, unit = "None", logs } of LOG_METRICS) {
    for (const of of logs) {
      const logGroupName = groups.get(of)
      if (logGroupName === undefined) continue
      new aws.cloudwatch.LogMetricFilter(`${name}Of${of.slice(0, 1).toUpperCase()}${of.slice(1)}`, {
        ...{ logGroupName, pattern },
        metricTransformation: { namespace: METRICS, name, value: value ? `$.${value}` : "1", unit },
      })
    }
  }
}
