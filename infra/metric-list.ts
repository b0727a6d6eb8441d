/** A custom metric that CloudWatch counts in the lines of logs. Lines without a match cost nothing. */
export interface LogMetric {
  name: string
  /** Lines that count, in the syntax of metric filters. */
  pattern: string
  /** Field of a line that is the metric's value. Without it, each line counts as one. */
  value?: string
  unit?: string
  /** Log groups: of a function, or of the agents' containers ("runner"). */
  logs: string[]
}

/** Functions that end runs, and the containers, which end those of agents. */
const ENDS_RUNS = ["api", "worker", "sweep", "socket", "runner"]
const OUTCOME = '$.kind = "outcome"'
const LAUNCH = '$.kind = "launch"'

/** Metrics of runs, from lines that are logged anyway. Each costs up to 30 cents a month, for the hours with data. */
export const LOG_METRICS: LogMetric[] = [
  { name: "RunsFailed", pattern: `{ (${OUTCOME}) && ($.fault IS TRUE) }`, logs: ENDS_RUNS },
  { name: "Tokens", pattern: `{ (${OUTCOME}) && ($.tokens >= 0) }`, value: "tokens", logs: ENDS_RUNS },
  { name: "Dollars", pattern: `{ (${OUTCOME}) && ($.usd >= 0) }`, value: "usd", logs: ENDS_RUNS },
  { name: "LaunchesGivenUp", pattern: `{ (${LAUNCH}) && ($.result = "given_up") }`, logs: ["worker"] },
  {
    name: "TimeToContainer",
    pattern: `{ (${LAUNCH}) && ($.result = "started") }`,
    ...{ value: "duration_ms", unit: "Milliseconds", logs: ["worker"] },
  },
  {
    name: "SessionsWaiting",
    pattern: '{ ($.kind = "slots") && ($.waiting >= 0) }',
    ...{ value: "waiting", logs: ["slots"] },
  },
]
