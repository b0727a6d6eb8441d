/// <reference path="../.sst/platform/config.d.ts" />

/** Fargate looks for a machine in either. */
const ZONES = 2

/**
 * Where runners are: a network of their own in which nothing listens. They reach the internet by addresses of their own, for a
 * NAT gateway costs more than everything else together; the table and the bucket they reach by gateways, which cost nothing.
 *
 * SST's `Vpc` would bring a private DNS zone, which is paid by the month, and a group that lets in all of the network.
 */
export function createNetwork() {
  const vpc = new aws.ec2.Vpc("RunnerNetwork", {
    cidrBlock: "10.0.0.0/16",
    enableDnsSupport: true,
    enableDnsHostnames: true,
  })
  // AWS makes it, and lets its members speak to each other. Without a rule it lets nobody.
  new aws.ec2.DefaultSecurityGroup("RunnerNobody", { vpcId: vpc.id, ingress: [], egress: [] })
  const internet = new aws.ec2.InternetGateway("RunnerInternet", { vpcId: vpc.id })
  const routes = new aws.ec2.RouteTable("RunnerRoutes", {
    vpcId: vpc.id,
    routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: internet.id }],
  })
  // Local zones that the account has opted in to are listed, too, and run no Fargate.
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
