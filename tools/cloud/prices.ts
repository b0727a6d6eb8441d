import { MACHINE_PRICES } from "@switchyard/core/work/usage/machines"

/**
 * AWS's prices in eu-central-1 in US dollars, without free tiers, from its price lists of 2025. `docs/cost.md` has
 * later comparisons.
 */
export const PRICES = {
  ...MACHINE_PRICES,
  lambdaRequest: 0.2 / 1e6,
  scheduledInvocation: 1 / 1e6,
  recordRead: 0.1525 / 1e6,
  recordWrite: 0.7625 / 1e6,
  recordGbMonth: 0.306,
  recordBackupGbMonth: 0.2448,
  blobGbMonth: 0.0245,
  blobWrite: 0.0054 / 1e3,
  logGb: 0.63,
  logGbMonth: 0.0324,
  alarmMonth: 0.1,
  /** A custom metric with data in each hour of the month. */
  metricMonth: 0.3,
  dashboardMonth: 3,
  firewallMonth: 5,
  firewallRuleMonth: 1,
  keyMonth: 1,
  trace: 5 / 1e6,
  cloudFrontRequest: 1.2 / 1e6,
  cloudFrontFunctionCall: 0.1 / 1e6,
  trafficGb: 0.085,
  /** Traffic of functions and containers to the internet, which doesn't pass CloudFront. */
  machineTrafficGb: 0.09,
  /** WebSockets of API Gateway, and of AppSync Events. */
  socketMinute: 0.25 / 1e6,
  socketMessage: 1 / 1e6,
  eventsMinute: 0.08 / 1e6,
  eventsOperation: 1 / 1e6,
  imageGbMonth: 0.1,
  /** AWS Backup's prices per GB of records and of files. */
  recordCopyGbMonth: 0.1224,
  blobCopyGbMonth: 0.06,
}

export const HOURS_A_MONTH = 730
export const MINUTES_A_MONTH = HOURS_A_MONTH * 60
