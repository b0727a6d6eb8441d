/** Settings of an alarm: its metric, its threshold, and its meaning. */
export interface Alarm {
  metricName: string
  alarmDescription: string
  threshold?: number
  statistic?: string
  comparisonOperator?: string
  period?: number
  treatMissingData?: string
}

/** Returns an alarm for calls that exceed their time. An orderly call ends earlier. */
const longerThan = (seconds: number) => ({ metricName: "Duration", statistic: "Maximum", threshold: seconds * 1000 })

/**
 * Alarms of each function, on metrics that AWS counts anyway. A stage without agents or sockets lacks some of the
 * functions.
 */
export const ALARMS_OF_FUNCTIONS = {
  api: {
    ApiFails: { metricName: "Url5xxCount", threshold: 5, alarmDescription: "The api answers 5xx." },
    ApiCrashes: { metricName: "Errors", alarmDescription: "The api ended without an answer." },
    ApiIsRefused: { metricName: "Throttles", alarmDescription: "More requests at once than Lambda allows." },
    ApiIsSlow: { ...longerThan(70), alarmDescription: "A request reached the time limit." },
  },
  stream: {
    StreamsFail: { metricName: "Url5xxCount", threshold: 5, alarmDescription: "Streams answer 5xx." },
    StreamsCrash: { metricName: "Errors", alarmDescription: "A stream ended unexpectedly." },
    StreamsAreRefused: { metricName: "Throttles", alarmDescription: "More streams at once than Lambda allows." },
    StreamsDontEnd: { ...longerThan(895), alarmDescription: "A stream reached the time limit." },
  },
  worker: {
    RunsCrash: { metricName: "Errors", alarmDescription: "A worker ended without reporting its run's result." },
    RunsAreNotStarted: { metricName: "Throttles", alarmDescription: "More runs at once than Lambda allows." },
    RunsArentHandedOver: {
      ...longerThan(895),
      alarmDescription: "A worker reached the time limit without handing over its run.",
    },
  },
  sweep: {
    SweepCrashes: { metricName: "Errors", alarmDescription: "Part of the due work is not done." },
    SweepIsRefused: { metricName: "Throttles", alarmDescription: "Lambda refuses to run the sweep." },
    SweepIsSlow: { ...longerThan(60), alarmDescription: "A sweep takes longer than its interval." },
    NothingIsSwept: {
      metricName: "Invocations",
      comparisonOperator: "LessThanThreshold",
      period: 900,
      treatMissingData: "breaching",
      alarmDescription: "The schedule has stopped, so due work is not done.",
    },
  },
  credentials: {
    RunnersGetNoCredentials: { metricName: "Errors", alarmDescription: "Runners can't reach their session." },
    CredentialsAreRefused: { metricName: "Throttles", alarmDescription: "More runners at once than Lambda allows." },
  },
  logins: {
    LogInsArentStored: { metricName: "Errors", alarmDescription: "Runners get no log-ins, and renewed ones are lost." },
    LogInsAreRefused: { metricName: "Throttles", alarmDescription: "More log-ins at once than Lambda allows." },
  },
  preview: {
    PreviewsCrash: { metricName: "Errors", alarmDescription: "A preview ended without an answer." },
    PreviewsAreRefused: { metricName: "Throttles", alarmDescription: "More previews at once than Lambda allows." },
  },
  socket: {
    SocketsCrash: {
      metricName: "Errors",
      alarmDescription: "A socket was not opened, or a client's message was lost.",
    },
    SocketsAreRefused: { metricName: "Throttles", alarmDescription: "More messages at once than Lambda allows." },
    SocketsAreSlow: { ...longerThan(28), alarmDescription: "A message reached the time limit." },
  },
  pump: {
    PumpsCrash: { metricName: "Errors", alarmDescription: "A socket receives no more events." },
    PumpsAreRefused: { metricName: "Throttles", alarmDescription: "More sockets at once than Lambda allows." },
    PumpsDontEnd: { ...longerThan(895), alarmDescription: "A pump reached the time limit." },
  },
} satisfies Record<string, Record<string, Alarm>>

/** Alarms of the table. Bursts don't count, because every call is retried. */
export const ALARMS_OF_THE_TABLE: Record<string, Alarm> = {
  RecordsArentRead: { metricName: "ReadThrottleEvents", threshold: 50, alarmDescription: "The table refuses reads." },
  RecordsArentWritten: {
    metricName: "WriteThrottleEvents",
    threshold: 50,
    alarmDescription: "The table refuses writes.",
  },
}
