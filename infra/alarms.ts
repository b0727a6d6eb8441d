/// <reference path="../.sst/platform/config.d.ts" />
import { alarmEmail } from "./stage.ts"

export interface Functions {
  api: sst.aws.Function
  stream: sst.aws.Function
  worker: sst.aws.Function
  sweep: sst.aws.Function
  /** On a stage with agents. */
  credentials?: sst.aws.Function | undefined
  logins?: sst.aws.Function | undefined
  preview: sst.aws.Function
  /** On a stage with sockets. */
  socket?: sst.aws.Function | undefined
  pump?: sst.aws.Function | undefined
}

/** An alarm's own part: its metric, from when on it is too much, and what it then means. */
type Alarm = { metricName: string; alarmDescription: string } & Partial<aws.cloudwatch.MetricAlarmArgs>

/**
 * An alarm for whatever may go wrong with a function or the table, on what AWS counts anyway: each costs ten cents a month.
 * They write to `ALARM_EMAIL`, if there is one.
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
      ...own,
    })
  }

  for (const [of, alarms] of Object.entries(OF_FUNCTIONS)) {
    const fn = functions[of as keyof Functions]
    if (!fn) continue
    const place = { namespace: "AWS/Lambda", dimensions: { FunctionName: fn.name } }
    for (const [name, own] of Object.entries(alarms)) alarm(name, place, own)
  }
  for (const [name, own] of Object.entries(OF_THE_TABLE)) {
    alarm(name, { namespace: "AWS/DynamoDB", dimensions: { TableName: table } }, own)
  }
}

/** Whatever ends in order does so earlier. */
const longerThan = (seconds: number) => ({ metricName: "Duration", statistic: "Maximum", threshold: seconds * 1000 })

const OF_FUNCTIONS: Record<keyof Functions, Record<string, Alarm>> = {
  api: {
    ApiFails: { metricName: "Url5xxCount", threshold: 5, alarmDescription: "The api answers 5xx." },
    ApiCrashes: { metricName: "Errors", alarmDescription: "The api ended without an answer." },
    ApiIsRefused: { metricName: "Throttles", alarmDescription: "More requests at once than Lambda allows." },
    ApiIsSlow: { ...longerThan(70), alarmDescription: "A request took all the time that there is." },
  },
  stream: {
    StreamsFail: { metricName: "Url5xxCount", threshold: 5, alarmDescription: "Streams answer 5xx." },
    StreamsCrash: { metricName: "Errors", alarmDescription: "A stream ended without saying so." },
    StreamsAreRefused: { metricName: "Throttles", alarmDescription: "More streams at once than Lambda allows." },
    StreamsDontEnd: { ...longerThan(895), alarmDescription: "A stream went on beyond its end." },
  },
  worker: {
    RunsCrash: { metricName: "Errors", alarmDescription: "A worker ended without saying how its run did." },
    RunsAreNotStarted: { metricName: "Throttles", alarmDescription: "More runs at once than Lambda allows." },
    RunsArentHandedOver: { ...longerThan(895), alarmDescription: "A worker didn't hand over what took longer." },
  },
  sweep: {
    SweepCrashes: { metricName: "Errors", alarmDescription: "What is due is not all done." },
    SweepIsRefused: { metricName: "Throttles", alarmDescription: "Lambda doesn't let the sweep run." },
    SweepIsSlow: { ...longerThan(60), alarmDescription: "A sweep isn't done when the next one begins." },
    NothingIsSwept: {
      metricName: "Invocations",
      comparisonOperator: "LessThanThreshold",
      period: 900,
      treatMissingData: "breaching",
      alarmDescription: "The schedule has stopped: what is due is not done.",
    },
  },
  credentials: {
    RunnersGetNoCredentials: { metricName: "Errors", alarmDescription: "Runners can't reach their session." },
  },
  logins: {
    LogInsArentStored: { metricName: "Errors", alarmDescription: "Runners get no log-ins, and renewed ones are lost." },
  },
  preview: {
    PreviewsCrash: { metricName: "Errors", alarmDescription: "A preview ended without an answer." },
  },
  socket: {
    SocketsCrash: { metricName: "Errors", alarmDescription: "A socket was not opened, or a message of one was lost." },
    SocketsAreRefused: { metricName: "Throttles", alarmDescription: "More messages at once than Lambda allows." },
    SocketsAreSlow: { ...longerThan(28), alarmDescription: "A message took all the time that there is." },
  },
  pump: {
    PumpsCrash: { metricName: "Errors", alarmDescription: "A socket was sent nothing any more." },
    PumpsAreRefused: { metricName: "Throttles", alarmDescription: "More sockets at once than Lambda allows." },
    PumpsDontEnd: { ...longerThan(895), alarmDescription: "A pump went on beyond its end." },
  },
}

/** A burst is let pass: every call is tried again. */
const OF_THE_TABLE: Record<string, Alarm> = {
  RecordsArentRead: { metricName: "ReadThrottleEvents", threshold: 50, alarmDescription: "The table refuses reads." },
  RecordsArentWritten: {
    metricName: "WriteThrottleEvents",
    threshold: 50,
    alarmDescription: "The table refuses writes.",
  },
}

function topicFor(email: string): aws.sns.Topic {
  const topic = new aws.sns.Topic("Alarms")
  new aws.sns.TopicSubscription("AlarmsByEmail", { topic: topic.arn, protocol: "email", endpoint: email })
  return topic
}
