"""Who decides: scripted, learned and language-model policies, all behind one protocol.

Importing this package makes `gymnasium.make("MedChain-v0")` work; without it, name the module that does:
`gymnasium.make("policies.gym_view:MedChain-v0")`.
"""

import gymnasium

if "MedChain-v0" not in gymnasium.registry:
    gymnasium.register("MedChain-v0", entry_point="policies.gym_view:MedChainEnv")
