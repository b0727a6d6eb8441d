/** Metric, threshold and description of an alarm. */
export interface Alarm {
  metricName: string
  alarmDescription: string
  threshold?: number
  statistic?: string
  comparisonOperator?: string
  period?: number
  treatMissingData?: string
}

/**
 * Returns settings for an alarm that is raised if a call takes longer than this. Calls that end normally take less
 * time.
 */
const longerThan = (seconds: number) => ({ metricName: "Duration", statistic: "Maximum", threshold: seconds * 1000 })

/**
 * Alarms for each function, using metrics that AWS collects anyway. Stages without agents or WebSockets lack some of
 * these functions.
 */
export const ALARMS_OF_FUNCTIONS = {
  api: {
    ApiFails: { metricName: "Url5xxCount", threshold: 5, alarmDescription: "The API returned 5xx responses." },
    ApiCrashes: { metricName: "Errors", alarmDescription: "The API function crashed without responding." },
    ApiIsRefused: {
      metricName: "Throttles",
      alarmDescription: "There were more concurrent requests than Lambda allows.",
    },
    ApiIsSlow: { ...longerThan(70), alarmDescription: "A request hit the time limit." },
  },
  stream: {
    StreamsFail: { metricName: "Url5xxCount", threshold: 5, alarmDescription: "Streams returned 5xx responses." },
    StreamsCrash: { metricName: "Errors", alarmDescription: "A stream ended unexpectedly, or hit the time limit." },
    StreamsAreRefused: {
      metricName: "Throttles",
      alarmDescription: "There were more concurrent streams than Lambda allows.",
    },
  },
  worker: {
    RunsCrash: {
      metricName: "Errors",
      alarmDescription: "A worker ended without reporting its run's result, or hit the time limit.",
    },
    RunsAreNotStarted: {
      metricName: "Throttles",
      alarmDescription: "There were more concurrent runs than Lambda allows.",
    },
  },
  sweep: {
    SweepCrashes: { metricName: "Errors", alarmDescription: "Some of the due work wasn't done." },
    SweepIsRefused: { metricName: "Throttles", alarmDescription: "Lambda refused to run the sweep." },
    SweepIsSlow: { ...longerThan(60), alarmDescription: "A sweep took longer than its interval." },
    NothingIsSwept: {
      metricName: "Invocations",
      comparisonOperator: "LessThanThreshold",
      period: 900,
      treatMissingData: "breaching",
      alarmDescription: "The schedule has stopped, so due work isn't being done.",
    },
  },
  credentials: {
    RunnersGetNoCredentials: {
      metricName: "Errors",
      alarmDescription: "Runners couldn't get credentials for their session.",
    },
    CredentialsAreRefused: {
      metricName: "Throttles",
      alarmDescription: "There were more concurrent runners than Lambda allows.",
    },
  },
  logins: {
    LogInsArentStored: {
      metricName: "Errors",
      alarmDescription: "Runners couldn't get logins, or renewed logins were lost.",
    },
    LogInsAreRefused: {
      metricName: "Throttles",
      alarmDescription: "There were more concurrent logins than Lambda allows.",
    },
  },
  slots: {
    SlotsArentGiven: {
      metricName: "Errors",
      alarmDescription: "Waiting sessions didn't get the slots of stopped runners.",
    },
    SlotsAreRefused: {
      metricName: "Throttles",
      alarmDescription: "More runners stopped at once than Lambda allows.",
    },
  },
  preview: {
    PreviewsCrash: { metricName: "Errors", alarmDescription: "The preview function crashed without responding." },
    PreviewsAreRefused: {
      metricName: "Throttles",
      alarmDescription: "There were more concurrent previews than Lambda allows.",
    },
  },
  socket: {
    SocketsCrash: {
      metricName: "Errors",
      alarmDescription: "A WebSocket wasn't opened, or a client's message was lost.",
    },
    SocketsAreRefused: {
      metricName: "Throttles",
      alarmDescription: "There were more concurrent WebSocket messages than Lambda allows.",
    },
    SocketsAreSlow: { ...longerThan(28), alarmDescription: "A WebSocket message hit the time limit." },
  },
  pump: {
    PumpsCrash: {
      metricName: "Errors",
      alarmDescription: "A WebSocket stopped receiving events, or its function hit the time limit.",
    },
    PumpsAreRefused: {
      metricName: "Throttles",
      alarmDescription: "There were more concurrent WebSockets than Lambda allows.",
    },
  },
} satisfies Record<string, Record<string, Alarm>>

/** Alarms for the table. Short bursts don't trigger them, because every call is retried. */
export const ALARMS_OF_THE_TABLE: Record<string, Alarm> = {
  RecordsArentRead: {
    metricName: "ReadThrottleEvents",
    threshold: 50,
    alarmDescription: "The table is throttling reads.",
  },
  RecordsArentWritten: {
    metricName: "WriteThrottleEvents",
    threshold: 50,
    alarmDescription: "The table is throttling writes.",
  },
}

/** Alarms for runs, using metrics that are counted in the logs. */
export const ALARMS_OF_RUNS = {
  RunsFail: {
    metricName: "RunsFailed",
    threshold: 3,
    period: 900,
    alarmDescription: "Several runs failed because of the installation, a model provider or AWS.",
  },
} satisfies Record<string, Alarm>

/** Alarms for launches of containers, on stages with agents. */
export const ALARMS_OF_LAUNCHES = {
  LaunchesAreGivenUp: {
    metricName: "LaunchesGivenUp",
    alarmDescription: "A session got no container after several attempts.",
  },
} satisfies Record<string, Alarm>
