# LocalStack's services behind their usual gateway, without its runtime, which looks for a container engine.
import sys

from localstack.aws.app import LocalstackAwsGateway
from localstack.aws.serving.hypercorn import serve

serve(LocalstackAwsGateway(), host="127.0.0.1", port=int(sys.argv[1]), use_reloader=False)
