"""The function of a fitted mixture, arranged so that it is computed fast.

A mixture is a sum of kernel expansions. `terms` takes the kernels apart, `function` puts together
what shares its distances or collapses into fewer numbers, and the other modules evaluate one kind
of term each. The plain sum over the members is what they are tested against.
"""
