/// <reference path="../.sst/platform/config.d.ts" />
import { alarmEmail } from "./stage.ts"

interface Functions {
  api: sst.aws.Function
  stream: sst.aws.Function
  worker: sst.aws.Function
  sweep: sst.aws.Function
}

/** Five, on what Lambda counts anyway: each costs ten cents a month. They write to `ALARM_EMAIL`, if there is one. */
export function createAlarms({ api, stream, worker, sweep }: Functions): void {
  const actions = alarmEmail === undefined ? [] : [topicFor(alarmEmail).arn]

  function alarm(name: string, fn: sst.aws.Function, metric: Partial<aws.cloudwatch.MetricAlarmArgs>): void {
    new aws.cloudwatch.MetricAlarm(name, {
      namespace: "AWS/Lambda",
      dimensions: { FunctionName: fn.name },
      statistic: "Sum",
      comparisonOperator: "GreaterThanOrEqualToThreshold",
      threshold: 1,
      period: 300,
      evaluationPeriods: 1,
      treatMissingData: "notBreaching",
      alarmActions: actions,
      ...metric,
    })
  }

  alarm("RunsCrash", worker, {
    metricName: "Errors",
    alarmDescription: "A worker ended without saying how its run did.",
  })
  alarm("RunsAreNotStarted", worker, {
    metricName: "Throttles",
    alarmDescription: "More runs than the account's quota.",
  })
  alarm("ApiFails", api, { metricName: "Url5xxCount", threshold: 5, alarmDescription: "The api answers 5xx." })
  alarm("StreamsFail", stream, { metricName: "Url5xxCount", threshold: 5, alarmDescription: "Streams answer 5xx." })
  alarm("NothingIsSwept", sweep, {
    metricName: "Invocations",
    comparisonOperator: "LessThanThreshold",
    period: 900,
    treatMissingData: "breaching",
    alarmDescription: "The schedule has stopped: what is due is not done.",
  })
}

function topicFor(email: string): aws.sns.Topic {
  const topic = new aws.sns.Topic("Alarms")
  new aws.sns.TopicSubscription("AlarmsByEmail", { topic: topic.arn, protocol: "email", endpoint: email })
  return topic
}
