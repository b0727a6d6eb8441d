/// <reference path="../.sst/platform/config.d.ts" />
import {
  ALARMS_OF_FUNCTIONS,
  ALARMS_OF_LAUNCHES,
  ALARMS_OF_RUNS,
  ALARMS_OF_THE_TABLE,
  type Alarm,
} from "./alarm-list.ts"
import type { LiveFunction } from "./function.ts"
import { METRICS } from "./metrics.ts"
import { agents, alarmEmail } from "./stage.ts"

export interface Functions {
  api: LiveFunction
  stream: LiveFunction
  worker: LiveFunction
  sweep: LiveFunction
  /** Defined on stages with agents. */
  credentials?: LiveFunction | undefined
  logins?: LiveFunction | undefined
  slots?: LiveFunction | undefined
  preview: LiveFunction
  /** Defined on stages with WebSockets. */
  socket?: LiveFunction | undefined
  pump?: LiveFunction | undefined
}

/**
 * Creates alarms for failures of the functions, the table and runs. Each alarm costs ten cents a month. `ALARM_EMAIL`
 * receives an email when an alarm is raised, and when it clears.
 */
export function createAlarms({ table, ...functions }: Functions & { table: $util.Input<string> }): void {
  const actions = alarmEmail === undefined ? [] : [topicFor(alarmEmail).arn]

  function alarm(name: string, place: Pick<aws.cloudwatch.MetricAlarmArgs, "namespace" | "dimensions">, own: Alarm) {
    new aws.cloudwatch.MetricAlarm(name, {
      ...place,
      statistic: "Sum",
      comparisonOperator: "GreaterThanOrEqualToThreshold",
      threshold: 1,
      period: 300,
      evaluationPeriods: 1,
      treatMissingData: "notBreaching",
      alarmActions: actions,
      okActions: actions,
      ...own,
    })
  }

  for (const [of, alarms] of Object.entries(ALARMS_OF_FUNCTIONS satisfies Record<keyof Functions, unknown>)) {
    const fn = functions[of as keyof Functions]
    if (!fn) continue
    const place = { namespace: "AWS/Lambda", dimensions: { FunctionName: fn.name } }
    for (const [name, own] of Object.entries(alarms)) alarm(name, place, own)
  }
  for (const [name, own] of Object.entries(ALARMS_OF_THE_TABLE)) {
    alarm(name, { namespace: "AWS/DynamoDB", dimensions: { TableName: table } }, own)
  }
  for (const [name, own] of Object.entries({ ...ALARMS_OF_RUNS, ...(agents && ALARMS_OF_LAUNCHES) })) {
    alarm(name, { namespace: METRICS }, own)
  }
}

function topicFor(email: string): aws.sns.Topic {
  const topic = new aws.sns.Topic("Alarms")
  new aws.sns.TopicSubscription("AlarmsByEmail", { topic: topic.arn, protocol: "email", endpoint: email })
  return topic
}
