/** An alarm's own part: its metric, from when on it is too much, and what it then means. */
export interface Alarm {
  metricName: string
  alarmDescription: string
  threshold?: number
  statistic?: string
  comparisonOperator?: string
  period?: number
  treatMissingData?: string
}

/** Whatever ends in order does so earlier. */
const longerThan = (seconds: number) => ({ metricName: "Duration", statistic: "Maximum", threshold: seconds * 1000 })

/** The alarms of each function, on what AWS counts anyway. A stage without agents or sockets lacks some of the functions. */
export const ALARMS_OF_FUNCTIONS = {
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
    SocketsCrash: { metricName: "Errors", alarmDescription: "A socket was not opened, or a message of one was lost." },
    SocketsAreRefused: { metricName: "Throttles", alarmDescription: "More messages at once than Lambda allows." },
    SocketsAreSlow: { ...longerThan(28), alarmDescription: "A message took all the time that there is." },
  },
  pump: {
    PumpsCrash: { metricName: "Errors", alarmDescription: "A socket was sent nothing any more." },
    PumpsAreRefused: { metricName: "Throttles", alarmDescription: "More sockets at once than Lambda allows." },
    PumpsDontEnd: { ...longerThan(895), alarmDescription: "A pump went on beyond its end." },
  },
} satisfies Record<string, Record<string, Alarm>>

/** A burst is let pass: every call is tried again. */
export const ALARMS_OF_THE_TABLE: Record<string, Alarm> = {
  RecordsArentRead: { metricName: "ReadThrottleEvents", threshold: 50, alarmDescription: "The table refuses reads." },
  RecordsArentWritten: {
    metricName: "WriteThrottleEvents",
    threshold: 50,
    alarmDescription: "The table refuses writes.",
  },
}
