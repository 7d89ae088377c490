"""How far methods are from the best that can be expected where actions and sensors err, in problems solved exactly."""
