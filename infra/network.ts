/// <reference path="../.sst/platform/config.d.ts" />

/** Fargate looks for a machine in both. */
const ZONES = 2

/**
 * Creates the network of runners, in which nothing listens. Runners reach the internet through their own addresses,
 * because a NAT gateway would cost more than everything else together. They reach the table and the bucket through free
 * gateways.
 *
 * SST's `Vpc` would add a private DNS zone, billed monthly, and a group that admits the whole network.
 */
export function createNetwork() {
  const vpc = new aws.ec2.Vpc("RunnerNetwork", {
    cidrBlock: "10.0.0.0/16",
    enableDnsSupport: true,
    enableDnsHostnames: true,
  })
  // AWS creates this group, and lets its members connect to each other. Without rules it admits nothing.
  new aws.ec2.DefaultSecurityGroup("RunnerNobody", { vpcId: vpc.id, ingress: [], egress: [] })
  const internet = new aws.ec2.InternetGateway("RunnerInternet", { vpcId: vpc.id })
  const routes = new aws.ec2.RouteTable("RunnerRoutes", {
    vpcId: vpc.id,
    routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: internet.id }],
  })
  // The list would also have local zones that the account has opted in to, and these don't run Fargate.
  const filters = [{ name: "opt-in-status", values: ["opt-in-not-required"] }]
  const { names } = aws.getAvailabilityZonesOutput({ state: "available", filters })
  const subnets = Array.from({ length: ZONES }, (_, zone) => {
    const subnet = new aws.ec2.Subnet(`RunnerSubnet${zone + 1}`, {
      vpcId: vpc.id,
      cidrBlock: `10.0.${zone}.0/24`,
      availabilityZone: names.apply((all) => all[zone] ?? ""),
    })
    new aws.ec2.RouteTableAssociation(`RunnerSubnet${zone + 1}Routes`, {
      subnetId: subnet.id,
      routeTableId: routes.id,
    })
    return subnet.id
  })

  const { region } = aws.getRegionOutput({})
  for (const service of ["s3", "dynamodb"]) {
    new aws.ec2.VpcEndpoint(`RunnerTo${service === "s3" ? "Blobs" : "Records"}`, {
      vpcId: vpc.id,
      vpcEndpointType: "Gateway",
      serviceName: $interpolate`com.amazonaws.${region}.${service}`,
      routeTableIds: [routes.id],
    })
  }

  const group = new aws.ec2.SecurityGroup("RunnerGroup", {
    vpcId: vpc.id,
    description: "Runners: nothing comes in",
    ingress: [],
    egress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
  })
  return { subnets, group: group.id }
}
